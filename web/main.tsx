import { render } from "preact";
import { App } from "./app.tsx";
import { Client, ClientProvider } from "./state/client.ts";
import { loadIcons } from "./ui/button.tsx";
import { Boundary, FailureNotice } from "./views/parts/boundary.tsx";

const client = new Client(window);
// Before anything is loaded or logged: a token must leave the address and the history.
void client.start();

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
render(
  <ClientProvider value={client}>
    <Boundary instead={(retry) => <FailureNotice onRetry={retry} rest="" />}>
      <App />
    </Boundary>
  </ClientProvider>,
  root,
);
void loadIcons();
