export declare const external: string[]
export declare const banner: { js: string }
