import type { VariableMisuseCode } from "../codec/Issue.ts"
import { nearestName } from "../codec/NearestName.ts"
import { type Variable, variableByName, type VariableName, variables } from "./Variable.ts"

/**
 * What the text of a template names: `$`, the longest run of `a-z` and `_`, then `[]` if it follows.
 *
 * Source: spec/templates §2.
 */
export interface VariableToken {
  readonly name: string
  readonly hasBrackets: boolean
  /** The offset after the token. */
  readonly end: number
}

/** Where a token stands: within a JSON string, within an object's key, or where a JSON value may stand. */
export type TokenPlace = "string" | "key" | "value"

/** Why a token cannot stand where it does. */
export interface VariableMisuse {
  readonly code: VariableMisuseCode
  readonly message: string
  readonly hint: string
}

/** Reads the token at a dollar sign; `undefined` if no `a-z` or `_` follows. */
export const readVariableToken = (text: string, at: number): VariableToken | undefined => {
  tokenPattern.lastIndex = at
  const found = tokenPattern.exec(text)
  if (found === null) return undefined
  const [, name = "", brackets] = found
  return { name, hasBrackets: brackets !== undefined, end: tokenPattern.lastIndex }
}

const tokenPattern = /\$([a-z_]+)(\[\])?/y

/** The variable of a token, or why it is not allowed there. */
export const checkVariableToken = (
  token: VariableToken,
  place: TokenPlace,
): { readonly variable: VariableName } | { readonly misuse: VariableMisuse } => {
  const written = `$${clip(token.name)}${token.hasBrackets ? "[]" : ""}`
  if (place === "key") {
    return misuse(
      "variable_in_key",
      `A key cannot contain a variable, but this one contains ${written}.`,
      "Write the key as fixed text and the variable in the value.",
    )
  }
  const variable = variableByName.get(token.name)
  if (variable === undefined) {
    const nearest = nearestName(
      token.name,
      variables.filter((v) => place === "value" || isText(v)).map(nameOf),
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

const nameOf = (variable: Variable): string => variable.name

const isText = (variable: Variable): boolean => variable.type === "text"

const rightForm = (variable: Variable, place: TokenPlace): string => {
  if (variable.type === "array") return `$${variable.name}[]`
  return place === "value" ? `"$${variable.name}"` : `$${variable.name}`
}

const clip = (name: string): string => (name.length > 64 ? `${name.slice(0, 64)}…` : name)
