/** Documents of OpenSLO, Sloth and Pyrra, and the rules that they generate, as definitions. */
export {
  type Conversion,
  type ConversionNote,
  convertDocuments,
  convertInParts,
  countObjects,
} from "../conversion/ConvertDocuments.ts"
export type { ConversionOptions } from "../conversion/Conversion.ts"
export { readOpenSloDuration, toRollingWindow } from "../conversion/OpenSloDuration.ts"
export type { PromQlNode, PromQlParser } from "../conversion/PromQlNode.ts"
