import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { configure, render } from "@testing-library/react";
import {
  AppRouterContext,
  type AppRouterInstance,
} from "next/dist/shared/lib/app-router-context.shared-runtime";
import { PathnameContext } from "next/dist/shared/lib/hooks-client-context.shared-runtime";
import { NuqsTestingAdapter, type OnUrlUpdateFunction } from "nuqs/adapters/testing";
import type { ReactNode } from "react";
import { vi } from "vitest";
import { FIXTURE_NOW } from "@/components/fixtures/fleet-fixture";
import { KeyBindings } from "@/components/frame/key-bindings";
import { NowProvider } from "@/components/time/now";

// One second, the default, is short on a busy machine: a bound for what never comes.
configure({ asyncUtilTimeout: 20_000 });

/** What a test may look at: where the router was sent, and how the URL changed. */
export interface Rendered {
  readonly pushed: string[];
  readonly urls: string[];
}

/** Renders a component with everything a page stands on: queries, URL, clock, keys, router. */
export function renderPage(ui: ReactNode, options: { readonly search?: string } = {}): Rendered {
  const pushed: string[] = [];
  const urls: string[] = [];
  const router: AppRouterInstance = {
    push: (href) => void pushed.push(href),
    replace: (href) => void pushed.push(href),
    back: () => undefined,
    forward: () => undefined,
    refresh: () => undefined,
    prefetch: () => undefined,
    bfcacheId: "0",
  };
  const onUrlUpdate: OnUrlUpdateFunction = ({ queryString }) => void urls.push(queryString);
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  prepareBrowser();
  render(
    <AppRouterContext value={router}>
      <PathnameContext value="/">
        <QueryClientProvider client={client}>
          <NuqsTestingAdapter searchParams={options.search ?? ""} onUrlUpdate={onUrlUpdate} hasMemory>
            <NowProvider serverNow={FIXTURE_NOW}>
              <KeyBindings>{ui}</KeyBindings>
            </NowProvider>
          </NuqsTestingAdapter>
        </QueryClientProvider>
      </PathnameContext>
    </AppRouterContext>,
  );
  return { pushed, urls };
}

/** One answer per path and method; anything else is 404. Returns the bodies that were sent, by path. */
export function serveApi(answers: Readonly<Record<string, unknown>>): Map<string, unknown[]> {
  const sent = new Map<string, unknown[]>();
  vi.stubGlobal("fetch", (path: string, init: RequestInit = {}) => {
    const key = `${init.method ?? "GET"} ${path}`;
    sent.set(key, [...(sent.get(key) ?? []), typeof init.body === "string" ? JSON.parse(init.body) : null]);
    const answer = answers[key];
    if (answer instanceof Response) return Promise.resolve(answer.clone());
    const status = answer === undefined ? 404 : 200;
    return Promise.resolve(new Response(JSON.stringify(answer ?? {}), { status }));
  });
  return sent;
}

/** What jsdom lacks and the components use. */
function prepareBrowser(): void {
  vi.stubGlobal(
    "ResizeObserver",
    class {
      observe = () => undefined;
      unobserve = () => undefined;
      disconnect = () => undefined;
    },
  );
  Element.prototype.scrollIntoView ??= () => undefined;
}
