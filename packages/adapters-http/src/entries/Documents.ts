/** How documents of definitions are read. */
export { DefinitionOptions } from "../documents/DefinitionOptions.ts"
