/** Kinds of the service's public clients that this service has nothing for, and what to use instead. */
export const foreignKinds: ReadonlyMap<string, string> = new Map([
  ["UserGroup", "the roles of credentials say who can change what: use tocsin credentials"],
  ["RoleBinding", "the roles of credentials say who can change what: use tocsin credentials"],
  ["DataExport", "read values with the API, or the database with tocsin export"],
])
