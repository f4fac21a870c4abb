/** The OpenAPI document of the API, and the parts that describe an endpoint in it. */
export * from "../openapi/ErrorResponses.ts"
export * from "../openapi/OpenApiDocument.ts"
export * from "../openapi/Security.ts"
export * from "../shape/Fields.ts"
export * from "../shape/Warnings.ts"
