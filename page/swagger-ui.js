// The page of the HTTP interfaces: the description that the service gives of itself, and a form to try each of them.
globalThis.SwaggerUIBundle({ url: '/openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });
