import { PatternSearch, type PatternJob, type PatternReply } from "./detect/pattern-search.ts";

// Beside main.ts, so that the address is found alike from source and in an executable.
declare const self: Worker;

const search = new PatternSearch();
let progress: Int32Array | null = null;

self.onmessage = (event: MessageEvent<PatternJob | { progress: SharedArrayBuffer }>) => {
  const message = event.data;
  if ("progress" in message) {
    progress = new Int32Array(message.progress);
    self.postMessage({ ready: true });
    return;
  }
  const findings = search.run(message, (index) => {
    // The matcher reads it when this thread no longer answers: which pattern is it in?
    if (progress) Atomics.store(progress, 0, index);
  });
  self.postMessage({ job: message.job, findings } satisfies PatternReply);
};
