package common

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strings"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/transport"
)

// restConfig reads the kubeconfig; a token file takes the place of its user.
func (s settings) restConfig() (*rest.Config, error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.kubeconfig)
	if err != nil {
		return nil, err
	}
	if s.tokenFile != "" {
		config = rest.AnonymousClientConfig(config)
		config.BearerTokenFile = s.tokenFile
	}
	config.UserAgent = s.userAgent
	if s.protobuf {
		config.ContentType = runtime.ContentTypeProtobuf
	}
	return config, nil
}

// recordWrites reports every answered write of ResourceSlices.
func recordWrites(output *Output, template Event) transport.WrapperFunc {
	return func(next http.RoundTripper) http.RoundTripper {
		return &recorder{next, output, template}
	}
}

type recorder struct {
	next     http.RoundTripper
	output   *Output
	template Event
}

// RoundTrip passes the request on and reports it once the answer is complete.
func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	write, relevant := writeOf(request)
	if !relevant {
		return r.next.RoundTrip(request)
	}
	sent, err := copyBody(&request.Body)
	if err != nil {
		return nil, err
	}
	response, err := r.next.RoundTrip(request)
	if err != nil {
		return response, err
	}
	answer, err := copyBody(&response.Body)
	write.Code = response.StatusCode
	event := r.template
	event.Write = write
	event.fill(sent)
	event.fill(answer)
	r.output.Send(event)
	return response, err
}

// writeOf tells verb and name of a write, and whether it is one of ResourceSlices.
func writeOf(request *http.Request) (*Write, bool) {
	path := strings.Split(strings.Trim(request.URL.Path, "/"), "/")
	resource := slices.Index(path, "resourceslices")
	verb, writes := map[string]string{
		http.MethodPost: "create", http.MethodPut: "update",
		http.MethodPatch: "patch", http.MethodDelete: "delete",
	}[request.Method]
	if resource < 0 || !writes {
		return nil, false
	}
	write := &Write{Verb: verb}
	if resource+1 < len(path) {
		write.Name = path[resource+1]
	} else if verb == "delete" {
		write.Verb = "deletecollection"
	}
	return write, true
}

// copyBody reads the body and puts a fresh one in its place.
func copyBody(body *io.ReadCloser) ([]byte, error) {
	if *body == nil {
		return nil, nil
	}
	data, err := io.ReadAll(*body)
	(*body).Close()
	*body = io.NopCloser(bytes.NewReader(data))
	return data, err
}

// fill takes what it can from an object in JSON or protobuf: the server's
// answer comes after the request and wins.
func (e *Event) fill(data []byte) {
	object, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	if err != nil {
		return
	}
	switch object := object.(type) {
	case *resourcev1.ResourceSlice:
		e.Pool = object.Spec.Pool.Name
		e.Generation = object.Spec.Pool.Generation
		e.SliceCount = object.Spec.Pool.ResourceSliceCount
		if object.Name != "" {
			e.Name = object.Name
		}
	case *metav1.Status:
		if object.Status == metav1.StatusFailure {
			e.Message = object.Message
		}
	}
}
