/** Renders the form of @rjsf/core for a schema on the server, as its first page. Throws what it throws. */
export function renderPeerForm(schema: object, formData: object): string;
