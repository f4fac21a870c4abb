/** The OpenAPI document of the API, and the parts that describe an endpoint in it. */
export { groups } from "../api/Groups.ts"
export * from "../openapi/ErrorResponses.ts"
export * from "../openapi/OpenApiDocument.ts"
export * from "../openapi/ResourceGroup.ts"
export * from "../openapi/Security.ts"
export * from "../operation/Fields.ts"
export * from "../operation/Warnings.ts"
