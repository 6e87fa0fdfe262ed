import Form from '@rjsf/core';
import validator from '@rjsf/validator-ajv8';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';

/** Renders the form of @rjsf/core for a schema on the server, as its first page. Throws what it throws. */
export function renderPeerForm(schema, formData) {
  return renderToString(createElement(Form, { schema, formData, validator }));
}
