/** Takes the token of a sign-in link out of the address, so that no history has it. */
export const takeLink = (): string | undefined => {
  const [, token] = /^#link=(.+)$/.exec(location.hash) ?? []
  if (token !== undefined) history.replaceState(null, "", location.pathname)
  return token
}
