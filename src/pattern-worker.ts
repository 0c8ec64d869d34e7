import {
  PatternProgress,
  PatternSearch,
  type PatternJob,
  type PatternReply,
} from "./detect/pattern-search.ts";

// Beside main.ts, so that the address is found alike from source and in an executable.
declare const self: Worker;

const search = new PatternSearch();
let progress: PatternProgress | null = null;

self.onmessage = (event: MessageEvent<PatternJob | { progress: SharedArrayBuffer }>) => {
  const message = event.data;
  if ("progress" in message) {
    progress = new PatternProgress(message.progress);
    self.postMessage({ ready: true });
    return;
  }
  progress?.begin();
  // The matcher reads it when this thread no longer answers: which pattern is it in?
  const findings = search.run(message, (index) => progress?.enter(index));
  progress?.rest();
  self.postMessage({ job: message.job, findings } satisfies PatternReply);
};
