import { list } from "../codec/Containers.ts"
import { anyString } from "../codec/Leaves.ts"

/** The values of the labels of `groupBy`, in their order. */
export type GroupValues = ReadonlyArray<string>

/** Most objectives of an SLO whose indicator is grouped: those that are defined times the groups. */
export const groupedObjectivesMax = 100

/** Longest value of a label of a group, in characters. */
export const groupValueMaxCharacters = 100

/** Maximum length of the name of an objective for a group, in characters and in bytes of UTF-8. */
export const objectiveNameMaxCharacters = 1_000

export const groupList = list(list(anyString), { max: groupedObjectivesMax })

/** A map key of a group. */
export const groupKey = (values: GroupValues): string => JSON.stringify(values)
