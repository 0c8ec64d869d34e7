const DIGITS = "123456789ABCDEFGHJKMNPQRSTVWXYZ0";

/** Bijective base 32: 1..9, A = 10, Z = 31, 0 = 32, 11 = 33. */
export function spell(number: number): string {
  let rest = number;
  let text = "";
  while (rest > 0) {
    rest -= 1;
    text = `${DIGITS[rest % 32]}${text}`;
    rest = Math.floor(rest / 32);
  }
  return text;
}

export function numberOf(text: string): number {
  let number = 0;
  for (const digit of text) number = number * 32 + DIGITS.indexOf(digit) + 1;
  return number;
}
