/** Adds request headers on which a response depends to its `Vary` header (RFC 9110 section 12.5.5). */
export const withVary = (
  headers: Readonly<Record<string, string>>,
  names: string,
): Readonly<Record<string, string>> => {
  const { vary } = headers
  return { ...headers, vary: vary === undefined ? names : `${vary}, ${names}` }
}
