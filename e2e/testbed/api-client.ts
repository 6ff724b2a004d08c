import { Agent, request } from "node:https";

export interface ApiRequest {
  /** Default GET. */
  readonly method?: string;
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  /** Media types that the answer may have. Default JSON. */
  readonly accept?: string;
  readonly token: string;
  readonly timeoutSeconds?: number;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** A plain HTTPS client for what the test bed itself asks an API server, with connections of its own. */
export class ApiClient {
  readonly #url: string;
  readonly #agent: Agent;

  constructor(url: string, authorityPem: string) {
    this.#url = url;
    this.#agent = new Agent({ ca: authorityPem, keepAlive: true, maxSockets: 8 });
  }

  /** The response with its whole body, whatever its status. @throws Error when there is no response in time. */
  send({
    method = "GET",
    path,
    body,
    contentType,
    accept = "application/json",
    token,
    timeoutSeconds = 30,
  }: ApiRequest): Promise<ApiResponse> {
    const payload = body === undefined ? null : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const call = request(
        `${this.#url}${path}`,
        {
          method,
          agent: this.#agent,
          signal: AbortSignal.timeout(timeoutSeconds * 1000),
          headers: {
            authorization: `Bearer ${token}`,
            accept,
            "user-agent": "headroom-testbed",
            ...(payload === null
              ? {}
              : {
                  "content-type": contentType ?? "application/json",
                  "content-length": Buffer.byteLength(payload),
                }),
          },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: Buffer.concat(chunks).toString("utf8"),
            }),
          );
        },
      );
      call.on("error", reject);
      call.end(payload ?? undefined);
    });
  }

  /** The parsed body of a request that must succeed. @throws Error that holds status and body otherwise. */
  async sendOk(request: ApiRequest): Promise<unknown> {
    const { status, text } = await this.send(request);
    if (status >= 300)
      throw new Error(`${request.method ?? "GET"} ${request.path}: ${status} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  close(): void {
    this.#agent.destroy();
  }
}
