/** The page of an entry point in Markdown; undefined for a module without exports. */
export declare const referencePage: (
  specifier: string,
  declarations: string,
  read?: (path: string) => string,
) => string | undefined
