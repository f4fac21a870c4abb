import { reliabilityColumns } from "@tocsin/domain/forms"
import { storedChoice } from "./StoredChoice.ts"

/** Every selection of columns, comma-separated. */
const selections = Object.keys(reliabilityColumns).reduce<ReadonlyArray<string>>(
  (found, column) => [...found, ...found.map((each) => (each === "" ? column : `${each},${column}`))],
  [""],
)

const columns = storedChoice<string>("tocsin.slo-columns", ["", ...selections])

export const chooseColumns = columns.choose

/** The columns with the reliability over past days that the user of this browser has selected, comma-separated. */
export const useColumns = columns.useChoice
