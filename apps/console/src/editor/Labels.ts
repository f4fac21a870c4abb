/** Labels as definitions have them: values by key. */
export type Labels = Readonly<Record<string, ReadonlyArray<string>>>

/** Labels as they are typed: comma-separated pairs of key and value. */
export const labelsText = (labels: Labels | undefined = {}): string =>
  Object.entries(labels)
    .flatMap(([key, values]) => values.map((value) => (value === "" ? key : `${key}:${value}`)))
    .join(", ")

/** The labels of a typed text, valid or not. A pair without a value has an empty one. */
export const labelsOf = (text: string): { [key: string]: Array<string> } => {
  const labels: { [key: string]: Array<string> } = {}
  for (const pair of text.split(",").map((each) => each.trim())) {
    if (pair === "") continue
    const at = pair.indexOf(":")
    const key = (at < 0 ? pair : pair.slice(0, at)).trim()
    ;(labels[key] ??= []).push(at < 0 ? "" : pair.slice(at + 1).trim())
  }
  return labels
}
