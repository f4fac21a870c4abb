/** A promise and its key. */
export const deferred = <A>(): { readonly promise: Promise<A>; readonly resolve: (value: A) => void } => {
  let resolve: (value: A) => void = () => {}
  const promise = new Promise<A>((fulfil) => {
    resolve = fulfil
  })
  return { promise, resolve }
}
