/** Where a command prints. */
export interface Terminal {
  readonly isTerminal: boolean
  /** In columns; infinite if it is no terminal. */
  readonly width: number
  readonly hasColor: boolean
}

/** Standard output. `NO_COLOR` turns color off (no-color.org), `FORCE_COLOR` turns it on. */
export const standardOutput = (environment: Readonly<Record<string, string | undefined>>): Terminal => {
  const isTerminal = process.stdout.isTTY === true
  const width = Number(environment["COLUMNS"]) || process.stdout.columns
  return {
    isTerminal,
    width: isTerminal || environment["COLUMNS"] ? width : Number.POSITIVE_INFINITY,
    hasColor:
      !environment["NO_COLOR"] &&
      environment["TERM"] !== "dumb" &&
      (isTerminal || Boolean(environment["FORCE_COLOR"])),
  }
}

const colorOf = (code: number) => (text: string) => `\u001b[${code}m${text}\u001b[39m`

export const colors = {
  red: colorOf(31),
  green: colorOf(32),
  yellow: colorOf(33),
  cyan: colorOf(36),
} as const
