/**
 * Where machine code of ours can run.
 */

/** Why it cannot, in words for people. */
export function refusalOfHost(platform: string, architecture: string): string | undefined {
  if (architecture !== "x64" && architecture !== "arm64")
    return `machine code is made for x86-64 and ARM64, this is ${architecture}`;
  if (platform !== "linux" && platform !== "darwin")
    return `machine code is made for Linux and macOS, this is ${platform}`;
  return undefined;
}
