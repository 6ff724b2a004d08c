import { AppError } from "../../errors.ts";
import type { ServiceContext } from "../context.ts";

export type Readiness = { readonly isReady: true } | { readonly isReady: false; readonly reason: string };

/**
 * Whether this process can serve what is stored: the store opens (which deploys its migrations) and answers. It says
 * nothing of clusters or of the collector: with both gone, pages still show what was stored.
 */
export async function getReadiness(open: () => Promise<ServiceContext>): Promise<Readiness> {
  try {
    const { store } = await open();
    await store.collector.get();
    return { isReady: true };
  } catch (error) {
    return {
      isReady: false,
      reason: error instanceof AppError ? error.message : "The store does not answer.",
    };
  }
}
