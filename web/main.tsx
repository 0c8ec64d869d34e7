import { render } from "preact";
import { App } from "./app.tsx";
import { takeToken } from "./net/token.ts";
import { Client, ClientProvider } from "./state/client.ts";
import "./styles/index.css";

const client = new Client(window);

// Before anything else is loaded or logged: the token leaves the address and the history.
const taken = takeToken(window.location.href);
if (taken !== null) {
  client.token.set(taken.token);
  window.history.replaceState(window.history.state, "", taken.rest);
}

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
render(
  <ClientProvider value={client}>
    <App />
  </ClientProvider>,
  root,
);
client.start();
