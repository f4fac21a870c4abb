import type { DefinitionDocument } from "@tocsin/api"
import { listText } from "../language/Text.tsx"
import { recommendedBurnRates } from "@tocsin/domain/forms"
import { burnText } from "../components/NumberFormat.ts"

/** A burn rate from which on an alert policy may open an alert. */
export interface Threshold {
  readonly rate: number
  /** The rate and the policies. */
  readonly text: string
}

type Policy = Pick<DefinitionDocument<"AlertPolicy">, "metadata" | "spec">

/** The burn rates of policies for a time window of some length, the lowest first; policies that share one are together. */
export const burnThresholds = (
  policies: ReadonlyArray<Policy>,
  windowMs: number,
): ReadonlyArray<Threshold> => {
  const namesByRate = new Map<number, Set<string>>()
  for (const { metadata, spec } of policies) {
    for (const rate of ratesOf(spec, windowMs)) {
      const names = namesByRate.get(rate) ?? new Set()
      namesByRate.set(rate, names.add(metadata.displayName ?? metadata.name))
    }
  }
  return [...namesByRate]
    .toSorted(([a], [b]) => a - b)
    .map(([rate, names]) => ({ rate, text: `${burnText(rate)} ${listText([...names])}` }))
}

const ratesOf = (
  { conditions, conditionGroups, sreWorkbook }: Policy["spec"],
  windowMs: number,
): ReadonlyArray<number> => {
  if (sreWorkbook !== undefined) return recommendedBurnRates(sreWorkbook, windowMs).map(({ rate }) => rate)
  const all = conditionGroups?.flatMap((group) => group.conditions) ?? conditions ?? []
  return all.flatMap((each) =>
    "measurement" in each && each.measurement === "averageBurnRate" ? [each.value] : [],
  )
}
