const MAX_DESTINATION_CHARS = 255;

/** What is wrong with the name of a host, as the end of a sentence, or null. */
export function nameFault(name: string): string | null {
  if (!/^[a-z0-9-]{1,32}$/.test(name)) return "must be 1 to 32 of a-z, 0-9 and -";
  return name === "local" ? "must not be local, which is this machine" : null;
}

/**
 * What is wrong with a destination, or null. ssh takes one that begins with `-` for options, and
 * puts its parts into commands of a person's configuration, which a shell reads.
 */
export function destinationFault(ssh: string): string | null {
  if (ssh === "") return "must not be empty";
  if (/(^|[@/])-/.test(ssh)) return "must not begin with -, nor its user or host";
  if (/[\s\p{Cc}]/u.test(ssh)) return "must not hold blanks or control characters";
  if (/["'`$\\;&<>|(){}*?!#]/.test(ssh)) return "must not hold characters of a shell";
  return ssh.length > MAX_DESTINATION_CHARS
    ? `must have at most ${MAX_DESTINATION_CHARS} characters`
    : null;
}
