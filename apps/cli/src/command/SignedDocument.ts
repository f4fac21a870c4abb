import { reportFormats } from "@tocsin/api"
import * as Effect from "effect/Effect"
import { printText } from "./CommandContext.ts"
import { oneOfDefault, organization, url } from "./Flags.ts"

const signatureFormat = "signature"

type Format = (typeof reportFormats)[number]

/** The description of a command that prints a signed document, such as a `report`. */
export const signedDocument = (noun: string) => ({
  summary: `print a ${noun}`,
  description: `Print a ${noun}, or its signature. As JSON, it is printed byte for byte as it was signed.`,
  arguments: { id: `ID of the ${noun}, as printed by \`list\`` },
  flags: {
    format: oneOfDefault("<format>", "output format", [...reportFormats, signatureFormat] as const, "json"),
    ...organization,
    ...url,
  },
  examples: `  # A page for printing\n  $ tocsin ${noun} get 019c1700-13c0-7a52-9d1e-2f6a1b8c4d07 --format html > ${noun}.html`,
})

/** Prints a signed document in a format, or its signature. */
export const printSigned = <E>(
  format: Format | typeof signatureFormat,
  find: (format: Format) => Effect.Effect<string, E>,
  findSignature: Effect.Effect<object, E>,
): Effect.Effect<void, E> =>
  Effect.flatMap(
    format === signatureFormat
      ? Effect.map(findSignature, (signature) => JSON.stringify(signature))
      : find(format),
    printText,
  )
