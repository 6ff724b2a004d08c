import type { FlowClassifier } from "../../fairness/matching/flow-classifier.ts";
import { Flow } from "../../fairness/queueset/request.ts";
import type { Tick } from "../../rollout/ticks.ts";
import type { StormCluster } from "../storm-input.ts";
import type { StormModel } from "../storm-model.ts";
import type { ApiServer } from "./api-server.ts";
import type { ClientReflector, InformerState, StormCopy } from "./clients.ts";
import { ANY, LAST, LIST, WATCH_LIST } from "./compact-reflector.ts";
import { type RequestShape, STATISTICS, shapeRequest } from "./request-shape.ts";

export interface RequestShapesOptions {
  readonly cluster: StormCluster;
  readonly model: StormModel;
  readonly classifier: FlowClassifier;
}

/** A shape with the flow that its requests share; `null`: each copy has one of its own. */
export interface PlacedShape extends RequestShape {
  readonly flow: Flow | null;
}

/** Shapes of all requests of a run, each worked out once for a server and for what it knows of the collection. */
export class RequestShapes {
  readonly #options: RequestShapesOptions;
  /** One object for each flow, whichever informer or server its requests are of. */
  readonly #flows = new Map<string, Flow>();

  constructor(options: RequestShapesOptions) {
    this.#options = options;
  }

  of(reflector: ClientReflector, server: ApiServer<StormCopy>, now: Tick): PlacedShape {
    const { state, verb, version, limit, isContinued } = reflector;
    const statistics = server.statisticsOf(state.collectionIndex, now);
    let ofServer = state.shapes[server.index];
    if (ofServer === undefined) {
      ofServer = [];
      state.shapes[server.index] = ofServer;
    }
    const place = 3 * kindOf(verb, version, limit, isContinued) + STATISTICS.indexOf(statistics);
    const known = ofServer[place];
    if (known !== undefined) return known;
    const shape = shapeRequest(
      { ...this.#options, levelMaxSeats: (name) => server.levelMaxSeats(name) },
      {
        agent: state.agent.input,
        informer: state.informer,
        collection: state.collection,
        statistics,
        verb,
        version,
        limit,
        isContinued,
      },
    );
    const placed = { ...shape, flow: this.#flowOf(shape) };
    ofServer[place] = placed;
    return placed;
  }

  #flowOf({ flowSchemaName, flowDistinguisher }: RequestShape): Flow | null {
    if (flowDistinguisher === null) return null;
    const key = `${flowSchemaName}\n${flowDistinguisher}`;
    const known = this.#flows.get(key);
    if (known !== undefined) return known;
    const flow = new Flow(flowSchemaName, flowDistinguisher);
    this.#flows.set(key, flow);
    return flow;
  }

  /** The level that an informer's LISTs fall to. */
  levelOf({ agent, informer, collection }: InformerState): string {
    return shapeRequest(
      { ...this.#options, levelMaxSeats: () => 0 },
      {
        agent: agent.input,
        informer,
        collection,
        statistics: "known",
        verb: LIST,
        version: ANY,
        limit: 0,
        isContinued: false,
      },
    ).priorityLevelName;
  }
}

/** A number for what is asked: LISTs by version and whether they have a limit, later pages, watches by version. */
function kindOf(verb: number, version: number, limit: number, isContinued: boolean): number {
  if (verb === LIST) return isContinued ? 6 : 2 * version + (limit > 0 ? 1 : 0);
  const isLast = version === LAST ? 1 : 0;
  return (verb === WATCH_LIST ? 9 : 7) + isLast;
}
