import * as SchemaAST from "effect/SchemaAST"
import { definition } from "@tocsin/domain"
import { isObject } from "@tocsin/domain/codec"
import { annotationDocument } from "@tocsin/domain/features/annotation"

/**
 * A document with the property names that its schema has, where they differ in case only, as the JSON decoder of the public
 * clients' language reads them. A name that is there in its own case, too, stays, and is unknown. Source: spec/clients §2.
 */
export const matchPropertyNames = (document: unknown): unknown => {
  const given = isObject(document)
    ? Object.entries(document).find(([name]) => name.toLowerCase() === "kind")?.[1]
    : undefined
  const ast = typeof given === "string" ? schemaByKind().get(given) : undefined
  return ast === undefined ? document : renamed(document, [ast])
}

let schemas: ReadonlyMap<string, SchemaAST.AST> | undefined

/** The schemas of documents, by kind; made when they are needed first. */
const schemaByKind = (): ReadonlyMap<string, SchemaAST.AST> => {
  schemas ??= new Map(
    variantsOf([definition.schema().ast, annotationDocument.schema().ast]).flatMap((ast) => {
      const kind = SchemaAST.isObjects(ast)
        ? ast.propertySignatures.find(({ name }) => name === "kind")?.type
        : undefined
      return kind !== undefined && SchemaAST.isLiteral(kind) ? [[String(kind.literal), ast] as const] : []
    }),
  )
  return schemas
}

const variantsOf = (asts: ReadonlyArray<SchemaAST.AST>): ReadonlyArray<SchemaAST.AST> =>
  asts.flatMap((ast) => (SchemaAST.isUnion(ast) ? variantsOf(ast.types) : [ast]))

const renamed = (value: unknown, asts: ReadonlyArray<SchemaAST.AST>): unknown => {
  if (Array.isArray(value)) {
    const items = variantsOf(asts).flatMap((ast) =>
      SchemaAST.isArrays(ast) ? [...ast.elements, ...ast.rest] : [],
    )
    return items.length === 0 ? value : value.map((each) => renamed(each, items))
  }
  if (!isObject(value)) return value
  const types = new Map<string, Array<SchemaAST.AST>>()
  for (const ast of variantsOf(asts)) {
    if (!SchemaAST.isObjects(ast)) continue
    for (const { name, type } of ast.propertySignatures) {
      types.set(String(name), [...(types.get(String(name)) ?? []), type])
    }
  }
  if (types.size === 0) return value
  const byLowerCase = new Map(Array.from(types.keys(), (name) => [name.toLowerCase(), name]))
  return Object.fromEntries(
    Object.entries(value).map(([given, part]) => {
      const known = types.has(given) ? given : byLowerCase.get(given.toLowerCase())
      const name = known === undefined || (known !== given && Object.hasOwn(value, known)) ? given : known
      return [name, renamed(part, types.get(name) ?? [])]
    }),
  )
}
