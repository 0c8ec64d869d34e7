// It travels in a header: a line break at its end, as a YAML block leaves one, would lock all out,
// and so would a letter that browsers do not put there.
export const tokenFault = (value: string) =>
  /[^\x20-\x7e]|^ | $/.test(value) ? "must be printable ASCII without blanks around it" : null;
