/** The names of the nodes of the grammar that are expressions. */
export const expressionNodes: ReadonlySet<string> = new Set([
  "AggregateExpr",
  "BinaryExpr",
  "FunctionCall",
  "MatrixSelector",
  "NumberDurationLiteral",
  "OffsetExpr",
  "ParenExpr",
  "StepInvariantExpr",
  "StringLiteral",
  "SubqueryExpr",
  "UnaryExpr",
  "VectorSelector",
])
