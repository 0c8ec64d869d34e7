type Environment = Record<string, string | undefined>;

const MIN_FINDABLE_CHARS = 6;

// Variables that describe this service, not the host or the person.
const OF_THE_SERVICE =
  /^(PANEWATCH_\w*|TMUX_PANE|INVOCATION_ID|JOURNAL_STREAM|NOTIFY_SOCKET|SYSTEMD_EXEC_PID|MANAGERPID|LISTEN_(FDS|PID|FDNAMES)|WATCHDOG_(USEC|PID))$/;

/**
 * The environment that the multiplexer sees: where no server runs yet, creation starts one, and
 * every pane inherits it. Anything that holds one of our secrets stays out.
 */
export function paneEnvironment(own: Environment, secrets: readonly string[]): Environment {
  const hidden = secrets.filter((secret) => secret !== "");
  const kept = Object.entries(own).filter(
    ([name, value]) =>
      value !== undefined &&
      !OF_THE_SERVICE.test(name) &&
      !hidden.some((secret) => holds(value, secret)),
  );
  return Object.fromEntries(kept);
}

// A short secret occurs by chance in unrelated values, such as PATH.
function holds(value: string, secret: string): boolean {
  return secret.length < MIN_FINDABLE_CHARS ? value === secret : value.includes(secret);
}
