/** The message for a name that no objective of an SLO has: it lists those that there are, the first of many. */
export const objectiveNameRule = (names: Iterable<string>): string => {
  const all = [...names]
  const shown = all.slice(0, shownMax).join(", ")
  return `must be the name of an objective of the SLO: ${all.length > shownMax ? `${shown} or ${all.length - shownMax} more` : shown}`
}

const shownMax = 5
