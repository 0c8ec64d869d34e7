import { render } from "preact";
import { App } from "./app.tsx";
import { takePairingCode, takeToken } from "./net/token.ts";
import { Client, ClientProvider } from "./state/client.ts";

const client = new Client(window);

// Before anything else is loaded or logged: what signs in leaves the address and the history.
const taken = takeToken(window.location.href);
if (taken !== null) {
  client.server.token.set(taken.token);
  window.history.replaceState(window.history.state, "", taken.rest);
}
const pairing = takePairingCode(window.location.href);
if (pairing !== null) window.history.replaceState(window.history.state, "", pairing.rest);

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
render(
  <ClientProvider value={client}>
    <App />
  </ClientProvider>,
  root,
);
// Started only when the code has been exchanged: before that there is nobody to be.
if (pairing !== null) await client.pair(pairing.code);
client.start();
