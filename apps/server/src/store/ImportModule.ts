/**
 * Imports a module that is not part of the server. The bundled server gets this function from the module that runs it:
 * `import` does not work in a script whose compiled code V8 has read.
 */
export const importModule = (url: string): Promise<{ readonly default?: unknown }> => import(url)
