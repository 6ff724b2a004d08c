/** The request that the message of a failed read ends with: `(HTTP 403, GET /metrics at 10.0.0.1:6443)`. */
const REQUEST = / \((HTTP \d{3})?(?:, )?GET \/[^)]*\)$/;

/**
 * The message of a failed read without its request, the status kept: what reads that failed for one reason have in
 * common, in a few words.
 */
export function causeOf(message: string): string {
  return message.replace(REQUEST, (_whole, status?: string) => (status === undefined ? "" : ` (${status})`));
}
