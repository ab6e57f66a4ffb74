// Shows the API description of this service.
const element = document.getElementById('api');
SwaggerUIBundle({
  domNode: element,
  url: element.dataset.description,
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  docExpansion: 'list',
  // Nothing is sent to another host.
  validatorUrl: null,
});
