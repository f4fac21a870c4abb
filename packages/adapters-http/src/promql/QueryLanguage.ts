/** What reads and evaluates queries. It is loaded with the first query, as most hosts have none. */
export { evaluate, selectionsOf } from "./Evaluate.ts"
export { regexesInstructionsMax } from "./LabelRegex.ts"
export { readQuery, readSelector } from "./ReadQuery.ts"
