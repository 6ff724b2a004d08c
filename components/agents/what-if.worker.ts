import { type WhatIfAsk, type WhatIfReply, WhatIfRunner } from "@/lib/domain/what-if/what-if-runner";

/** A turn of the event loop: a newer question is heard in it. Timers would wait for 4 ms each. */
const turns = new MessageChannel();
let resume: (() => void) | null = null;
turns.port1.onmessage = () => resume?.();

const runner = new WhatIfRunner({
  reply: (reply: WhatIfReply) => globalThis.postMessage(reply),
  pause: () =>
    new Promise((resolve) => {
      resume = resolve;
      turns.port2.postMessage(null);
    }),
  now: () => performance.now(),
});

globalThis.onmessage = ({ data }: MessageEvent<WhatIfAsk>) => void runner.ask(data);
