"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { describeError } from "@/components/ui/panel-states";
import { acknowledgeMutation, changesQuery, undoAcknowledgeMutation } from "@/lib/queries/fleet";
import { type Change, UNDO_MS } from "./prepare-changes";

interface Batch {
  readonly eventIds: readonly string[];
  readonly changes: readonly Change[];
}

/**
 * Acknowledging changes, undoable for ten seconds. Rows just acknowledged are in `acknowledged` until then. A request
 * that fails puts them back and says so in `problem`.
 */
export function useAcknowledge() {
  const client = useQueryClient();
  const [batches, setBatches] = useState<readonly Batch[]>([]);
  const [problem, setProblem] = useState<string | null>(null);
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  const acknowledge = useMutation(acknowledgeMutation());
  const undo = useMutation(undoAcknowledgeMutation());
  useEffect(() => {
    const running = timers.current;
    return () => {
      for (const timer of running) clearTimeout(timer);
    };
  }, []);

  const refresh = () => client.invalidateQueries(changesQuery());
  const drop = (batch: Batch) => setBatches((known) => known.filter((other) => other !== batch));
  const run = async (changes: readonly Change[], allUpTo: number | null) => {
    setProblem(null);
    const asked: Batch = { changes, eventIds: changes.map(({ id }) => id) };
    setBatches((known) => [...known, asked]);
    try {
      const { eventIds } = await acknowledge.mutateAsync(
        allUpTo === null ? { eventIds: [...asked.eventIds] } : { allUpTo },
      );
      const done: Batch = { changes, eventIds };
      setBatches((known) => known.map((other) => (other === asked ? done : other)));
      const timer = setTimeout(() => {
        timers.current.delete(timer);
        drop(done);
      }, UNDO_MS);
      timers.current.add(timer);
    } catch (error) {
      drop(asked);
      setProblem(`Not acknowledged. ${describeError(error).message}`);
    }
    await refresh();
  };
  const takeBack = async (wanted: readonly Batch[]) => {
    setProblem(null);
    try {
      const eventIds = wanted.flatMap((batch) => batch.eventIds);
      // Where another tab was first, there is nothing here to take back.
      if (eventIds.length > 0) await undo.mutateAsync(eventIds);
      for (const batch of wanted) drop(batch);
    } catch (error) {
      setProblem(`Not undone. ${describeError(error).message}`);
    }
    await refresh();
  };
  return {
    acknowledged: new Map(batches.flatMap(({ changes }) => changes.map((change) => [change.id, change]))),
    acknowledgedTotal: batches.reduce((sum, { eventIds }) => sum + eventIds.length, 0),
    problem,
    acknowledgeOne: (change: Change) => run([change], null),
    /** Everything seen up to an instant; `shown` are the rows that stay in place meanwhile. */
    acknowledgeAll: (shown: readonly Change[], upTo: number) => run(shown, upTo),
    undoAll: () => takeBack(batches),
    undoOne: (change: Change) =>
      takeBack(batches.filter(({ changes }) => changes.some(({ id }) => id === change.id))),
  };
}
