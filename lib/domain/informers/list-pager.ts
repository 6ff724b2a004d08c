import { DEFAULT_PAGE_SIZE, listRequest, type ReflectorRequest } from "./reflector-request.ts";
import { isResourceExpired, type ListAnswer, type StatusError } from "./server-answer.ts";

/** What a LIST, page by page, has come to. */
export type PagerStep =
  | { readonly kind: "send"; readonly request: ReflectorRequest }
  | { readonly kind: "done"; readonly resourceVersion: string; readonly isPaginated: boolean }
  | { readonly kind: "failed"; readonly error: StatusError | null };

/** Page size of a reflector's LIST at a resource version. `paged`: its first LIST came in pages, so there is no cache. */
export function pageSizeOf(resourceVersion: string, watchListPageSize: number, paged: boolean): number {
  if (watchListPageSize !== 0) return watchListPageSize;
  // A limit would take a LIST at a version to etcd; without one the cache can serve it.
  return paged || resourceVersion === "" || resourceVersion === "0" ? DEFAULT_PAGE_SIZE : 0;
}

/**
 * One LIST in pages. A page other than the first that finds its version expired is followed by one LIST of all, at the
 * version asked for first. Source: client-go tools/pager/pager.go, v0.26 to v0.37.
 */
export class ListPager {
  readonly #resourceVersion: string;
  readonly #pageSize: number;
  #token = "";
  #listVersion: string | null = null;
  #isPaginated = false;
  #isFullList = false;

  constructor(resourceVersion: string, pageSize: number) {
    this.#resourceVersion = resourceVersion;
    this.#pageSize = pageSize;
  }

  first(): ReflectorRequest {
    return listRequest(this.#resourceVersion, this.#pageSize, "");
  }

  answered({ resourceVersion, continue: token = "" }: ListAnswer): PagerStep {
    // The version of the whole is that of its first page; a LIST of all after an expired page has its own.
    if (this.#isFullList || this.#listVersion === null) this.#listVersion = resourceVersion;
    if (token === "" || this.#isFullList) {
      return { kind: "done", resourceVersion: this.#listVersion, isPaginated: this.#isPaginated };
    }
    this.#token = token;
    this.#isPaginated = true;
    return { kind: "send", request: listRequest("", this.#pageSize, token) };
  }

  /** `error` `null`: the connection failed. */
  failed(error: StatusError | null): PagerStep {
    if (error === null || this.#token === "" || this.#isFullList || !isResourceExpired(error)) {
      return { kind: "failed", error };
    }
    this.#isFullList = true;
    return { kind: "send", request: listRequest(this.#resourceVersion, 0, "") };
  }

  get isPaginated(): boolean {
    return this.#isPaginated;
  }
}
