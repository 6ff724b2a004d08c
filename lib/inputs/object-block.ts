import { deflateRawSync, inflateRawSync } from "node:zlib";
import { isJsonObject, type JsonObject } from "../domain/findings/index.ts";

/** Objects are packed together: they are alike, and one by one each would cost more than it saves. */
const BLOCK_CHARACTERS = 512 * 1024;

/** The block that was unpacked last: whoever goes through objects in their order unpacks each block once. */
let unpacked: { readonly block: ObjectBlock; readonly texts: readonly string[] } | null = null;

/** Objects as JSON, one a line; packed when it is full. */
export class ObjectBlock {
  #texts: string[] | null = [];
  #characters = 0;
  #packed: Buffer | null = null;

  get isFull(): boolean {
    return this.#packed !== null;
  }

  /** The place of the object in the block. */
  add(body: JsonObject): number {
    if (this.#texts === null) throw new Error("the block is full");
    const text = JSON.stringify(body);
    const place = this.#texts.push(text) - 1;
    this.#characters += text.length;
    if (this.#characters >= BLOCK_CHARACTERS) {
      // A copy of its own size: what zlib returns may be a view of more.
      this.#packed = Buffer.from(deflateRawSync(this.#texts.join("\n"), { level: 1 }));
      this.#texts = null;
    }
    return place;
  }

  get(place: number): JsonObject {
    const body: unknown = JSON.parse(this.#unpack()[place] ?? "null");
    if (!isJsonObject(body)) throw new Error("a packed object is an object");
    return body;
  }

  #unpack(): readonly string[] {
    if (this.#texts !== null) return this.#texts;
    if (unpacked?.block === this) return unpacked.texts;
    const texts = inflateRawSync(this.#packed ?? Buffer.alloc(0))
      .toString("utf8")
      .split("\n");
    unpacked = { block: this, texts };
    return texts;
  }
}
