/** The release of this software. Tests compare it with the manifests and the changelog. */
export const RELEASE = '0.1.0'
