import type { CreationPort, Existing, NewPane, PaneLook, Place } from "./creation.ts";
import { innerId, outerId } from "./host-ids.ts";

export interface HostCreationDeps {
  inner: CreationPort;
  name: string;
  number: number;
}

/** Creation on another machine, with the ids and targets that its panes have here. */
export class HostCreation implements CreationPort {
  readonly #deps: HostCreationDeps;

  constructor(deps: HostCreationDeps) {
    this.#deps = deps;
  }

  async list(): Promise<Existing> {
    const { inner, number } = this.#deps;
    const { sessions, panes } = await inner.list();
    return { sessions, panes: new Set([...panes].map((id) => outerId(number, id))) };
  }

  async create(place: Place, directory: string, argv: readonly string[]): Promise<NewPane> {
    const { inner, number, name } = this.#deps;
    const there =
      place.type === "pane" ? { ...place, paneId: innerId(number, place.paneId) } : place;
    const { id, pid, target } = await inner.create(there, directory, argv);
    return { id: outerId(number, id), pid, target: `${name}:${target}` };
  }

  look(id: string): Promise<PaneLook | null> {
    return this.#deps.inner.look(innerId(this.#deps.number, id));
  }

  markCreated(pane: NewPane): Promise<boolean> {
    return this.#deps.inner.markCreated(this.#toInner(pane));
  }

  close(pane: Pick<NewPane, "id" | "pid">, isAny: boolean): Promise<boolean> {
    return this.#deps.inner.close(this.#toInner(pane), isAny);
  }

  remove(pane: NewPane): Promise<void> {
    return this.#deps.inner.remove(this.#toInner(pane));
  }

  #toInner<T extends Pick<NewPane, "id">>(pane: T): T {
    return { ...pane, id: innerId(this.#deps.number, pane.id) };
  }
}
