/** The page of a module in Markdown; undefined for a module without exports. */
export declare const referencePage: (specifier: string, declarations: string) => string | undefined
