import { defaultProjectName } from "@tocsin/domain/slo/Project"
import type { ApiRequest } from "./ApiRequest.ts"

/** What the header `Project` says to mean every project, as the public clients do. Source: decision 0600. */
export const everyProject = "*"

/** What the header `Project` names; `default` when it is absent or empty. Source: decision 0600. */
export const projectOf = (request: ApiRequest): string => request.header("project") || defaultProjectName
