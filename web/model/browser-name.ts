/** Order matters: most user agents also claim to be Chrome and Safari. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?\/|\bEdgiOS\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\bFirefox\/|\bFxiOS\//, "Firefox"],
  [/\bChrome\/|\bCriOS\/|\bHeadlessChrome\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\biPhone|\biPod/, "iOS"],
  [/\biPad/, "iPadOS"],
  [/\bAndroid\b/, "Android"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bMac OS X|\bMacintosh/, "macOS"],
  [/\bWindows\b/, "Windows"],
  [/\bLinux\b|\bX11\b/, "Linux"],
];

export function browserName(userAgent: string) {
  const named = (table: typeof BROWSERS) =>
    table.find(([pattern]) => pattern.test(userAgent))?.[1] ?? null;
  return {
    browser: named(BROWSERS),
    system: named(SYSTEMS),
    isPhone: /\bMobi|\biPhone|\biPod|\bAndroid\b/.test(userAgent),
  };
}

export function deviceName(userAgent: string): string {
  const { browser, system } = browserName(userAgent);
  return [browser ?? "Browser", system].filter((part) => part !== null).join(" on ");
}
