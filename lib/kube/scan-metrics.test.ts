import { describe, expect, it } from "vitest";
import { MetricNames } from "./metric-names.ts";
import type { MetricSample } from "./metrics-scanner.ts";
import { clientOf, failureOf, serve } from "./test-support/client.ts";

async function answering(text: string) {
  const server = await serve((_, response) => response.end(text));
  const { client } = await clientOf(server.url);
  return { client, server };
}

describe("scanMetrics", () => {
  it("hands over wanted samples as they come, and says what the page came to", async () => {
    const { client, server } = await answering('# TYPE a gauge\na 1\nb 2\na{x="y"} 3\n');
    const samples: MetricSample[] = [];
    const result = await client.scanMetrics({
      names: new MetricNames(["a"]),
      onSample: (sample) => samples.push(sample),
    });
    expect(samples.map((sample) => sample.value)).toEqual([1, 3]);
    expect(result).toMatchObject({ samples: 2, lines: 4, malformedLines: 0, cost: { requests: 1 } });
    expect(server.requests[0]?.headers.accept).toBe("text/plain;version=0.0.4");
    expect(server.paths()).toEqual(["/metrics"]);
  });

  it("a page that is cut short, or none, fails", async () => {
    const scan = async (body: string) => {
      const { client } = await answering(body);
      return failureOf(client.scanMetrics({ names: new MetricNames(["a"]), onSample: () => undefined }));
    };
    expect((await scan("# TYPE a gauge\na 12")).reason).toBe("truncated");
    expect((await scan("<html></html>\n")).reason).toBe("bad-body");
    const server = await serve((_, response) => {
      response.setHeader("content-type", "text/html").end("# a\n");
    });
    const { client } = await clientOf(server.url);
    const error = await failureOf(
      client.scanMetrics({ names: new MetricNames(["a"]), onSample: () => undefined }),
    );
    expect(error.message).toMatch(/no metrics page but text\/html/);
  });
});
