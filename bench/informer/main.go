// Command informer is the peer of `npm run bench:tree`: a client-go informer with the full objects of every kind of one namespace.
// It prints one line of JSON when all of them are synced, and ends when its standard input does.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

// report is what one run measured.
type report struct {
	Kinds     int     `json:"kinds"`
	Objects   int     `json:"objects"`
	SyncMs    float64 `json:"syncMs"`
	BeforeMiB float64 `json:"beforeMiB"`
	RssMiB    float64 `json:"rssMiB"`
	HeapMiB   float64 `json:"heapMiB"`
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: informer KUBECONFIG NAMESPACE")
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func run(kubeconfig, namespace string) error {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return fmt.Errorf("kubeconfig: %w", err)
	}
	// No limit of our own: the api-server has the last word in both programs.
	config.QPS = -1
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("client: %w", err)
	}
	resources, err := listable(discovery.NewDiscoveryClientForConfigOrDie(config))
	if err != nil {
		return err
	}
	before := residentMiB()
	began := time.Now()
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, namespace, nil)
	var objects atomic.Int64
	for _, resource := range resources {
		handler := cache.ResourceEventHandlerFuncs{AddFunc: func(any) { objects.Add(1) }}
		if _, err := factory.ForResource(resource).Informer().AddEventHandler(handler); err != nil {
			return fmt.Errorf("informer of %s: %w", resource, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	synced := time.Since(began)
	// What is garbage of the lists is none of the informer's memory.
	runtime.GC()
	time.Sleep(2 * time.Second)
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	measured := report{
		Kinds:     len(resources),
		Objects:   int(objects.Load()),
		SyncMs:    float64(synced.Microseconds()) / 1000,
		BeforeMiB: before,
		RssMiB:    residentMiB(),
		HeapMiB:   float64(memory.HeapAlloc) / (1 << 20),
	}
	if err := json.NewEncoder(os.Stdout).Encode(measured); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// listable names the namespaced resources that can be listed and watched, each in the preferred version.
func listable(client *discovery.DiscoveryClient) ([]schema.GroupVersionResource, error) {
	lists, err := client.ServerPreferredNamespacedResources()
	if err != nil {
		return nil, fmt.Errorf("discovery: %w", err)
	}
	var resources []schema.GroupVersionResource
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, fmt.Errorf("discovery: %w", err)
		}
		for _, resource := range list.APIResources {
			if slices.Contains(resource.Verbs, "list") && slices.Contains(resource.Verbs, "watch") && !strings.Contains(resource.Name, "/") {
				resources = append(resources, version.WithResource(resource.Name))
			}
		}
	}
	return resources, nil
}

// residentMiB is the resident memory of this process, as Linux counts it.
func residentMiB() float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for _, line := range strings.Split(string(text), "\n") {
		var kib float64
		if _, err := fmt.Sscanf(line, "VmRSS: %f kB", &kib); err == nil {
			return kib / 1024
		}
	}
	return 0
}
