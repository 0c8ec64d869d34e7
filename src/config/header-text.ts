// A token travels in a header: a line break at its end, which a YAML block leaves, or a letter that
// browsers do not send in a header would lock every client out.
export const tokenFault = (value: string) =>
  /[^\x20-\x7e]|^ | $/.test(value) ? "must be printable ASCII without blanks around it" : null;
