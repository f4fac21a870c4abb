import type { VariableMisuseCode } from "../codec/Issue.ts"
import { nearestName } from "../codec/NearestName.ts"
import { type Variable, variableByName, type VariableName, variables } from "./Variable.ts"

/** `$`, the longest run of `a-z` and `_`, then `[]` if it follows (spec/templates §2). */
interface VariableToken {
  readonly name: string
  readonly hasBrackets: boolean
  /** The offset after the token. */
  readonly end: number
}

/** Where a token is: in a JSON string, in an object's key, or where JSON allows a value. */
export type TokenPlace = "string" | "key" | "value"

/** Reads the token at a dollar sign; `undefined` if no `a-z` or `_` follows. */
export const readVariableToken = (text: string, at: number): VariableToken | undefined => {
  tokenPattern.lastIndex = at
  const found = tokenPattern.exec(text)
  if (found === null) return undefined
  const [, name = "", brackets] = found
  return { name, hasBrackets: brackets !== undefined, end: tokenPattern.lastIndex }
}

const tokenPattern = /\$([a-z_]+)(\[\])?/y

export const checkVariableToken = (
  token: VariableToken,
  place: TokenPlace,
): { readonly variable: VariableName } | ReturnType<typeof misuse> => {
  const written = `$${clip(token.name)}${token.hasBrackets ? "[]" : ""}`
  if (place === "key") {
    return misuse(
      "variable_in_key",
      `A key cannot contain a variable, but this one contains ${written}.`,
      `Write the variable in the value or, if the key is meant as it is, the dollar sign as \\u0024: "\\u0024${clip(token.name)}".`,
    )
  }
  const variable = variableByName.get(token.name)
  if (variable === undefined) {
    const candidates = variables.filter(({ type }) => place === "value" || type === "text")
    const nearest = nearestName(
      token.name,
      candidates.map(({ name }) => name),
    )
    const meant = nearest === undefined ? undefined : variableByName.get(nearest)
    return misuse(
      "variable_unknown",
      `There is no variable ${written}.`,
      meant === undefined
        ? `Write a literal dollar sign before a letter as \\u0024, inside a string.`
        : `Did you mean ${rightForm(meant, place)}?`,
    )
  }
  if (variable.type === "array") {
    if (place === "string") {
      return misuse(
        "array_in_string",
        `$${variable.name}[] is an array and cannot be inside a string.`,
        `Write ${rightForm(variable, "value")} without quotes around it, or $${variable.name}_text inside the string.`,
      )
    }
    if (!token.hasBrackets) {
      return misuse(
        "brackets_missing",
        `$${variable.name} is an array and needs brackets.`,
        `Write ${rightForm(variable, place)}.`,
      )
    }
  } else if (token.hasBrackets) {
    return misuse(
      "brackets_not_allowed",
      `$${variable.name} is text and takes no brackets.`,
      `Write ${rightForm(variable, place)}.`,
    )
  } else if (place === "value") {
    return misuse(
      "text_outside_string",
      `$${variable.name} is text and must be inside a string.`,
      `Write ${rightForm(variable, place)}, with the quotes.`,
    )
  }
  return { variable: variable.name }
}

const misuse = (code: VariableMisuseCode, message: string, hint: string) => ({
  misuse: { code, message, hint },
})

const rightForm = (variable: Variable, place: TokenPlace): string => {
  if (variable.type === "array") return `$${variable.name}[]`
  return place === "value" ? `"$${variable.name}"` : `$${variable.name}`
}

const clip = (name: string): string => (name.length > 64 ? `${name.slice(0, 64)}…` : name)
