import { type Variable, type VariableValues, variables } from "./Variable.ts"

/**
 * Completes the values that apply: what is left out is the empty text or the empty array, and `experience_name`
 * is `objective_name`.
 */
export const variableValues = (
  applying: Partial<Omit<VariableValues, "experience_name">>,
): VariableValues => ({
  ...nothingApplies,
  ...applying,
  experience_name: applying.objective_name ?? "",
})

const valuesOf = (value: (variable: Variable) => string | ReadonlyArray<string>): VariableValues =>
  Object.fromEntries(variables.map((variable) => [variable.name, value(variable)])) as VariableValues

const nothingApplies: VariableValues = valuesOf((variable) => (variable.type === "array" ? [] : ""))

/** A plausible value for each variable, for previews and for the test of an alert method. */
export const sampleVariableValues: VariableValues = valuesOf((variable) => variable.sample)
