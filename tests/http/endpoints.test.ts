import { expect, test } from "bun:test";
import { endpointsOf } from "../../src/http/app.ts";
import { ENDPOINTS } from "../../src/protocol/endpoints.ts";
import { startLiveService } from "../support/live-service.ts";
import { PrivateTmux } from "../support/tmux.ts";

test("every route of a service has its row, and every row its route", async () => {
  const tmux = await PrivateTmux.idle();
  const service = await startLiveService({ tmux });
  try {
    const real = endpointsOf(service.slices);
    expect(real.sort()).toEqual(Object.keys(ENDPOINTS).sort());
  } finally {
    await service.stop();
    await tmux.stop();
  }
});
